"""What a table may mean, guessed from names, types and cells."""
