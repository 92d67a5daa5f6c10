package hiveacid.storage

import java.io.FileNotFoundException

import scala.annotation.tailrec
import scala.collection.mutable

import hiveacid.formats.{Children, SideBySide}
import hiveacid.wire.{ListedFolder, ListedTree}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, LocalFileSystem, Path}

/** Lists folders with all below them, level by level, many folders at a time: a table has thousands of deltas and
  * partitions, and each answer of a storage takes milliseconds.
  */
object Trees {

  /** How often one folder may be listed by the one that holds it and not be there. */
  private val Losses = 10
  private val LimitMs = 300000L
  private val LongestPauseMs = 100L

  /** A local answer takes less time than a thread. */
  private val FewestLocal = 32
  private val FewestRemote = 2

  /** The clock by which a Cleaner is waited for. */
  trait Clock {
    def nowMs: Long
    def pause(ms: Long): Unit
  }

  object SystemClock extends Clock {
    override def nowMs: Long = System.nanoTime / 1000000L
    override def pause(ms: Long): Unit = Thread.sleep(ms)
  }

  /** The roots in order; with hidden folders, and files that the file system leaves out, if they are wanted. A root
    * that loses a folder while it is listed is listed anew. Between two listings there is a pause: the Cleaner removes
    * one folder after the other, and a listing takes no longer than one of them.
    *
    * @throws java.io.FileNotFoundException
    *   for a folder that is listed ten times and never there, and for any after five minutes
    */
  def list(
      roots: Seq[String],
      withHidden: Boolean,
      conf: Configuration,
      clock: Clock = SystemClock
  ): Seq[ListedTree] = {
    val trees = roots.map(new Tree(_, withHidden, conf))
    val endMs = clock.nowMs + LimitMs

    @tailrec def listUntilWhole(pending: Seq[Tree], pauseMs: Long): Unit = {
      listAll(pending)
      val incomplete = pending.filter(_.lost.isDefined)
      incomplete.find(_.hasLostInVain || clock.nowMs > endMs).flatMap(_.lost).foreach(throw _)
      if (incomplete.nonEmpty) {
        clock.pause(pauseMs)
        incomplete.foreach(_.begin())
        listUntilWhole(incomplete, math.min(2 * pauseMs, LongestPauseMs))
      }
    }
    listUntilWhole(trees, 1L)
    trees.map(_.listing)
  }

  def isHidden(name: String): Boolean = name.startsWith("_") || name.startsWith(".")

  private def listAll(trees: Seq[Tree]): Unit = {
    var level = trees.map(_.top)
    while (level.nonEmpty) {
      val fewest = if (level.forall(_.tree.isLocal)) FewestLocal else FewestRemote
      level = level.zip(SideBySide.map(level, fewest)(_.ask())).flatMap { case (folder, found) => folder.add(found) }
    }
  }

  /** A root while it is listed. A folder that the Cleaner removes meanwhile makes its listing begin anew: which folders
    * stand in for the lost one shows only in a listing without it.
    */
  final private class Tree(root: String, withHidden: Boolean, conf: Configuration) {
    private val path = new Path(root)
    val system: FileSystem = path.getFileSystem(conf) match {
      // names of Hadoop's checksums are left out of its listings, whatever lies there
      case local: LocalFileSystem if withHidden => local.getRaw
      case other                                => other
    }
    val isLocal: Boolean = system.getUri.getScheme == "file"
    if (isLocal) LocalNames.check(path)
    private val known = mutable.Map.empty[String, (ListedFolder, Seq[String])]
    private val losses = mutable.Map.empty[String, Int].withDefaultValue(0)

    /** The error for a folder below the root that is gone. */
    var lost: Option[FileNotFoundException] = None

    /** True if one and the same folder is listed again and again and is never there. Other folders each time are what
      * the Cleaner removes, of which there are as many as there were deltas.
      */
    def hasLostInVain: Boolean = losses.values.exists(_ >= Losses)

    def lose(folder: Folder, error: FileNotFoundException): Unit = {
      losses(folder.name) += 1
      lost = Some(error)
    }

    def begin(): Unit = {
      known.clear()
      lost = None
    }

    def top: Folder = new Folder(this, "", path)

    /** Takes down the content of a folder; returns the folders to be listed next. */
    def add(folder: Folder, children: Array[FileStatus]): Seq[Folder] = {
      val (folders, files) = children.sortBy(_.getPath.getName).partition(_.isDirectory)
      val below = folders.toSeq.map(_.getPath).filter(p => withHidden || !isHidden(p.getName)).map(folder.child)
      val (names, lengths) = (files.map(_.getPath.getName), files.map(_.getLen))
      known(folder.name) =
        (ListedFolder(folder.name, names, lengths, files.map(_.getModificationTime)), below.map(_.name))
      below
    }

    def listing: ListedTree = ListedTree(root, known.nonEmpty, if (known.isEmpty) Nil else from(""))

    private def from(name: String): Seq[ListedFolder] = {
      val (own, below) = known(name)
      own +: below.flatMap(from)
    }
  }

  /** A folder of a tree; `name` is its path below the root. */
  final private class Folder(val tree: Tree, val name: String, path: Path) {
    def child(of: Path): Folder = new Folder(tree, if (name.isEmpty) of.getName else s"$name/${of.getName}", of)

    def ask(): Either[FileNotFoundException, Array[FileStatus]] =
      try {
        val found = Children.of(tree.system, path)
        if (tree.isLocal) LocalNames.checkListed(path, found.map(_.getPath.getName).toSet)
        Right(found)
      } catch {
        case e: FileNotFoundException =>
          if (tree.isLocal) LocalNames.checkMissing(path)
          Left(e)
      }

    /** The folders to be listed next. */
    def add(answer: Either[FileNotFoundException, Array[FileStatus]]): Seq[Folder] = answer match {
      case Right(children) => tree.add(this, children)
      case Left(e)         =>
        if (name.nonEmpty) tree.lose(this, e)
        Nil
    }
  }
}
