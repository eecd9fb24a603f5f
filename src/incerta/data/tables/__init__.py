"""Tables: the roles of columns, and objects from rows."""
