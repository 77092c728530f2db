"""The list of cases: find, open, rename them; and the history of the open one."""
