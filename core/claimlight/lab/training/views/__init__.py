"""Views of one patent, as PatentMap pairs them: what is read of a section, and how a text is varied.

Nothing here draws by itself: whoever asks hands in the generator, so that a view is a function of the
document and the draw (`claimlight.lab.training.tasks.views`).
"""
