"""Tables: which columns mean what, and objects out of rows."""
