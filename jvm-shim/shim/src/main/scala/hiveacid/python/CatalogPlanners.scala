package hiveacid.python

import hiveacid.wire.{CatalogRequest, Wire}

/** The planners of catalogs that have metastores of their own. The one that answers for the application makes them, and
  * they end with it.
  */
final private[python] class CatalogPlanners {
  private var maker: Option[Planner] = None
  private var made = Map.empty[CatalogRequest, CatalogPlanner]

  /** @param wrapped
    *   what callers are given instead of Python's own object
    */
  def find(application: Planner, asked: CatalogRequest)(wrapped: CatalogPlanner => CatalogPlanner): CatalogPlanner =
    synchronized {
      if (!maker.exists(_ eq application)) made = Map.empty
      maker = Some(application)
      made.getOrElse(
        asked,
        application.ofCatalog(Wire.write(asked)) match {
          case planner: CatalogPlanner =>
            val answering = wrapped(planner)
            made += asked -> answering
            answering
          case other => throw PythonSide.unexpected(other)
        }
      )
    }

  def of(application: Planner): Seq[CatalogPlanner] = synchronized {
    if (maker.exists(_ eq application)) made.values.toSeq else Nil
  }
}
