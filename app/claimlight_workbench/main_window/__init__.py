"""The main window: creates the screens and wires their signals to one another, nothing else."""

from claimlight_workbench.main_window.window import MainWindow

__all__ = ["MainWindow"]
