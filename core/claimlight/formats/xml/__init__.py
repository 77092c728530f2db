"""XML and SGML read within bounds: entities, namespaces, no network."""
