"""Access to the machine: devices, memory, optional libraries, files and progress."""
