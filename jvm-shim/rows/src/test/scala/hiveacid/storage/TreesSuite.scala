package hiveacid.storage

import java.io.{FileNotFoundException, IOException}
import java.net.URI
import java.nio.file.{AccessDeniedException, Files, Path => LocalPath}
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import hiveacid.wire.ListedTree
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path, RawLocalFileSystem}

/** The local file system as a storage far away, whose answers can be watched. */
object Far {
  @volatile var watch: Path => Unit = (_: Path) => ()
}

final class Far extends RawLocalFileSystem {
  override def getUri: URI = URI.create("far:///")
  override def getScheme: String = "far"
  override def listStatus(path: Path): Array[FileStatus] = {
    Far.watch(path)
    super.listStatus(path)
  }
}

final class TreesSuite extends munit.FunSuite {
  private val conf = new Configuration
  conf.set("fs.far.impl", classOf[Far].getName)
  conf.set("fs.far.impl.disable.cache", "true")

  override def beforeEach(context: BeforeEach): Unit = Far.watch = _ => ()

  private def tree(folders: String*): LocalPath = {
    val root = Files.createTempDirectory("trees")
    folders.foreach { name =>
      Files.createDirectories(root.resolve(name))
      Files.writeString(root.resolve(s"$name/bucket_00000"), name)
    }
    root
  }

  /** No time passes but in pauses, and where a test says so. */
  private object TestClock extends Trees.Clock {
    var nowMs = 0L
    override def pause(ms: Long): Unit = nowMs += ms
  }

  private def list(roots: LocalPath*): Seq[ListedTree] =
    Trees.list(roots.map(r => s"far:$r"), withHidden = false, conf, TestClock)

  private def names(listing: ListedTree): Seq[String] = listing.folders.map(_.path)

  test("folders are listed in order, each behind the one that holds it, whatever their names") {
    val root = tree("k=2020-01-01 10:00:00/delta_2", "k=2020-01-01 10:00:00/delta_1", "a/b/c", "_hidden/x")
    val Seq(found, gone) = list(root, root.resolve("gone")): @unchecked
    val time = "k=2020-01-01 10:00:00"
    assertEquals(names(found), Seq("", "a", "a/b", "a/b/c", time, s"$time/delta_1", s"$time/delta_2"))
    assertEquals(found.folders.last.names.toSeq, Seq("bucket_00000"))
    assertEquals(gone, ListedTree(s"far:${root.resolve("gone")}", exists = false, Nil))
  }

  test("far storage is asked for many folders at a time") {
    val roots = (1 to 10).map(_ => tree((1 to 10).map(n => f"delta_$n%07d"): _*))
    val together = new CountDownLatch(5)
    Far.watch = _ => {
      together.countDown()
      assert(together.await(60, TimeUnit.SECONDS), "five are never asked for at a time")
    }
    assertEquals(list(roots: _*).map(_.folders.size), Seq.fill(10)(11))
  }

  /** Errors for a folder that is gone: that of a remote storage, and those that Hadoop has for local ones. */
  private val losses: Seq[String => IOException] =
    Seq(new FileNotFoundException(_), new AccessDeniedException(_, null, "Permission denied"), new IOException(_))

  losses.map(loss => (loss, loss("").getClass.getSimpleName)).foreach { case (loss, name) =>
    test(s"a folder that goes away while its root is listed makes that listing begin anew: $name") {
      val (root, other) = (tree("delta_1", "delta_2"), tree("delta_1"))
      Far.watch = path =>
        if (path.getName == "delta_2" && Files.exists(root.resolve("delta_2"))) {
          Files.delete(root.resolve("delta_2/bucket_00000"))
          Files.delete(root.resolve("delta_2"))
          Files.createDirectory(root.resolve("base_2"))
          throw loss(path.toString)
        }
      assertEquals(list(root, other).map(names), Seq(Seq("", "base_2", "delta_1"), Seq("", "delta_1")))
    }
  }

  test("a Cleaner that removes another folder during each listing is waited for") {
    val root = tree((1 to 15).map(n => f"delta_$n%02d") :+ "base_15": _*)
    val listings = new AtomicInteger
    Far.watch = path => {
      if (path.getName == root.getFileName.toString) listings.incrementAndGet()
      if (path.getName == f"delta_${listings.get}%02d") {
        Files.delete(root.resolve(s"${path.getName}/bucket_00000"))
        Files.delete(root.resolve(path.getName))
        throw new FileNotFoundException(path.toString)
      }
    }
    assertEquals(list(root).map(names), Seq(Seq("", "base_15")))
    assertEquals(listings.get, 16)
  }

  test("folders that come and go for five minutes are an error in the end") {
    val root = tree("delta_1")
    val listings = new AtomicInteger
    val startMs = TestClock.nowMs
    val listingMs = 10000L
    Far.watch = path =>
      if (path.getName == root.getFileName.toString) {
        val number = listings.incrementAndGet()
        TestClock.nowMs += listingMs
        Files.createDirectory(root.resolve(s"delta_come_$number"))
      } else if (path.getName.startsWith("delta_come_")) {
        Files.deleteIfExists(root.resolve(path.getName))
        throw new FileNotFoundException(path.toString)
      }
    intercept[FileNotFoundException](list(root))
    val waitedMs = TestClock.nowMs - startMs
    assert(waitedMs > 300000L && waitedMs <= 310100L, s"$waitedMs ms")
  }

  test("a folder that is there and may not be read is an error at once") {
    val root = tree("delta_1")
    val asked = new AtomicInteger
    Far.watch = path =>
      if (path.getName == "delta_1") {
        asked.incrementAndGet()
        throw new AccessDeniedException("delta_1")
      }
    intercept[AccessDeniedException](list(root))
    assertEquals(asked.get, 1)
  }

  test("a folder that is listed and never there is an error in the end") {
    val root = tree("delta_1")
    val asked = new AtomicInteger
    Far.watch = path =>
      if (path.getName == "delta_1") {
        asked.incrementAndGet()
        throw new FileNotFoundException("delta_1")
      }
    intercept[FileNotFoundException](list(root))
    assertEquals(asked.get, 10)
  }
}
