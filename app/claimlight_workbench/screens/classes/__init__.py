"""The classes of CPC and IPC: those of the open document, and the tree of a scheme with counts."""
