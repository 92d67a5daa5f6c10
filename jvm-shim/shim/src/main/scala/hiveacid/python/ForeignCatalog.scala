package hiveacid.python

import hiveacid.wire.CatalogRequest

/** A catalog of a session that has a metastore of its own. */
trait ForeignCatalog {

  /** The name and options by which Python knows it. */
  def request: CatalogRequest
}
