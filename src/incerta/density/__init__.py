"""Distance probabilities, neighbour counts, and clusters that grow from them."""
