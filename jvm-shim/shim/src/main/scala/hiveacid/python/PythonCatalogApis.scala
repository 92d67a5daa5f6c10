package hiveacid.python

import hiveacid.wire.{CatalogRequest, Wire}

/** The APIs of catalogs that have metastores of their own. The one that answers for the application makes them, and
  * they end with it.
  */
final private[python] class PythonCatalogApis {
  private var maker: Option[PythonApi] = None
  private var made = Map.empty[CatalogRequest, PythonCatalogApi]

  /** @param wrapped
    *   what callers are given instead of Python's own object
    */
  def find(application: PythonApi, asked: CatalogRequest)(
      wrapped: PythonCatalogApi => PythonCatalogApi
  ): PythonCatalogApi =
    synchronized {
      if (!maker.exists(_ eq application)) made = Map.empty
      maker = Some(application)
      made.getOrElse(
        asked,
        application.ofCatalog(Wire.write(asked)) match {
          case api: PythonCatalogApi =>
            val answering = wrapped(api)
            made += asked -> answering
            answering
          case other => throw PythonSide.unexpected(other)
        }
      )
    }

  def of(application: PythonApi): Seq[PythonCatalogApi] = synchronized {
    if (maker.exists(_ eq application)) made.values.toSeq else Nil
  }
}
