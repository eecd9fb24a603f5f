"""How sure given labels are: their probabilities, and valleys between them."""
