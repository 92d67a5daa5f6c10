package hiveacid

import hiveacid.catalog.MetastoreCatalog

/** The catalog that a session gets by `spark.sql.catalog.NAME=hiveacid.Catalog`. */
final class Catalog extends MetastoreCatalog
