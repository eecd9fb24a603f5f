"""What a clustering will cost in time and memory, before it is begun."""
