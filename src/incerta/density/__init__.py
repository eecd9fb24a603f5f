"""Distance probabilities, neighbor counts, and clusters that grow from them."""
