"""Tables: which columns mean what, and objects from rows."""
