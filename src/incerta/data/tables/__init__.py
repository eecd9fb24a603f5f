"""Tables: the roles of columns, and the objects in rows."""
