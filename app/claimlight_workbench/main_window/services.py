"""What a window asks of the engine: the sum of what its parts declare."""

from __future__ import annotations

from typing import Protocol

from claimlight_workbench.main_window.session import ClaimReader
from claimlight_workbench.main_window.wiring import Source
from claimlight_workbench.screens.about.presenter import AboutService
from claimlight_workbench.screens.adapting.presenter import AdaptationService
from claimlight_workbench.screens.case.presenter import CaseService
from claimlight_workbench.screens.cases.presenter import CaseListService
from claimlight_workbench.screens.classes.classifiers_presenter import ClassifierService
from claimlight_workbench.screens.classes.presenter import ClassService
from claimlight_workbench.screens.classes.statistics_presenter import StatisticsService
from claimlight_workbench.screens.classes.suggest_presenter import SuggestService
from claimlight_workbench.screens.expression.presenter import LineService
from claimlight_workbench.screens.health.presenter import HealthService
from claimlight_workbench.screens.inspector.presenter import ConceptService
from claimlight_workbench.screens.library.address_presenter import AddressService
from claimlight_workbench.screens.library.presenter import LibraryService
from claimlight_workbench.screens.manual.presenter import ManualService
from claimlight_workbench.screens.map.presenter import MapService
from claimlight_workbench.screens.matrix.presenter import MatrixService
from claimlight_workbench.screens.models.presenter import ModelService
from claimlight_workbench.screens.progress.presenter import ProgressService
from claimlight_workbench.screens.query.presenter import ClaimService
from claimlight_workbench.screens.reader.class_labels import ClassLabelService
from claimlight_workbench.screens.reader.drawing import DrawingService
from claimlight_workbench.screens.reader.presenter import DocumentService
from claimlight_workbench.screens.relations.presenter import RelationService
from claimlight_workbench.screens.report.presenter import ReportService
from claimlight_workbench.screens.results.presenter import SearchService
from claimlight_workbench.screens.sets.presenter import SetService
from claimlight_workbench.screens.settings.presenter import SettingsService
from claimlight_workbench.screens.training.presenter import RecipeService


class Services(
    AdaptationService,
    AddressService,
    CaseListService,
    CaseService,
    ClaimService,
    ClassLabelService,
    ClassService,
    ClassifierService,
    ConceptService,
    DocumentService,
    DrawingService,
    HealthService,
    LibraryService,
    LineService,
    AboutService,
    ManualService,
    MapService,
    MatrixService,
    ModelService,
    ProgressService,
    RecipeService,
    RelationService,
    ReportService,
    SearchService,
    SetService,
    SettingsService,
    StatisticsService,
    SuggestService,
    ClaimReader,
    Source,
    Protocol,
):
    """Met by `claimlight_workbench.engine.Engine`; a screen runs on anything that meets its part."""

    def close(self) -> None:
        """Close every file."""
        ...
