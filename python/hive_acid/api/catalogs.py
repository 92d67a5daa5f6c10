"""Catalogs that have metastores of their own, and what the shim asks about them. Importing this imports PySpark."""

from hive_acid.bridge.answers import answered as answered
from hive_acid.bridge.answers import cancellable as cancellable
from hive_acid.bridge.api_parts import ApiParts as ApiParts
from hive_acid.bridge.cancellation import Cancellation as Cancellation
from hive_acid.bridge.python_api import PythonApi as PythonApi
from hive_acid.execution.ddl import DdlExecutor as DdlExecutor
from hive_acid.metastore.catalog_names import DEFAULT_CATALOG as DEFAULT_CATALOG
from hive_acid.session.catalog_side import CatalogSide as CatalogSide
from hive_acid.wire.catalogs import CatalogRequest as CatalogRequest
from hive_acid.wire.catalogs import DescribedColumn as DescribedColumn
from hive_acid.wire.ddl_kinds import DdlKind as DdlKind
from hive_acid.wire.statements import DdlStatement as DdlStatement
from hive_acid.writing.new_folders import find_file as find_file
from hive_acid.writing.table_rules import refuse_hidden_location as refuse_hidden_location
