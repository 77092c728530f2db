"""Classes for the front ends: editions of CPC and IPC, their entries, subtrees and changes."""
