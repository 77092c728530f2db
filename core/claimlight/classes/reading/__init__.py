"""The official files of a scheme: title lists, scheme XML of the CPC, scheme XML of the IPC."""
