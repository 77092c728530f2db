"""The document beside the open one."""
