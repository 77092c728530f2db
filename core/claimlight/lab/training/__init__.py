"""The training of papers: tasks, losses and recipes of PaECTER, PatentMap, patembed and CPC pairs."""
