package hiveacid.storage

import java.nio.file.{FileAlreadyExistsException, Files, Path => LocalPath}

import hiveacid.AcidOrcSuite
import org.apache.hadoop.fs.{FileStatus, FileSystem, LocalFileSystem, Path, RawLocalFileSystem}

/** A folder that appears under a name between a look and a rename. */
object Rival {
  @volatile var folder: Option[LocalPath] = None

  def appear(): Unit = folder.foreach { path =>
    folder = None
    Files.createDirectories(path)
    Files.writeString(path.resolve("bucket_00000"), "the rival's")
  }
}

/** The rival appears as soon as anything has been looked at. */
final class RacingLocalFileSystem extends LocalFileSystem {
  override def getFileStatus(path: Path): FileStatus =
    try super.getFileStatus(path)
    finally Rival.appear()
}

/** The same for a file system of another class, which moves a folder into an existing one. */
final class RacingRawFileSystem extends RawLocalFileSystem {
  override def exists(path: Path): Boolean =
    try super.exists(path)
    finally Rival.appear()
}

abstract class StorageSuite(fileSystem: Class[_ <: FileSystem]) extends AcidOrcSuite {
  override protected def settings: Map[String, String] =
    Map("spark.hadoop.fs.file.impl" -> fileSystem.getName, "spark.hadoop.fs.file.impl.disable.cache" -> "true")

  private def makeFolder(path: LocalPath): LocalPath = {
    Files.createDirectories(path)
    Files.writeString(path.resolve("bucket_00000"), "ours")
  }

  private def names(folder: LocalPath): Seq[String] = folder.toFile.list().toSeq.sorted

  test("a folder is not moved into one that appears under its name at the last moment") {
    val root = Files.createTempDirectory("storage")
    val (staged, base) = (root.resolve("staging/base_0000005"), root.resolve("base_0000005"))
    makeFolder(staged)
    Rival.folder = Some(base)
    intercept[FileAlreadyExistsException](new Storage(spark).rename(s"file:$staged", s"file:$base"))
    assertEquals(names(base), Seq("bucket_00000"))
    assertEquals(Files.readString(base.resolve("bucket_00000")), "the rival's")
    assertEquals(Files.readString(staged.resolve("bucket_00000")), "ours")
  }

  test("a folder that is in nobody's way gets its name") {
    val root = Files.createTempDirectory("storage")
    val (staged, base) = (root.resolve("staging/base_0000005"), root.resolve("base_0000005"))
    makeFolder(staged)
    new Storage(spark).rename(s"file:$staged", s"file:$base")
    assertEquals(names(base), Seq("bucket_00000"))
    assert(!Files.exists(staged))
  }
}

final class LocalStorageSuite extends StorageSuite(classOf[RacingLocalFileSystem]) {
  test("files and folders cross as JSON whatever their names, but for hidden folders") {
    val root = Files.createTempDirectory("storage")
    val folder = root.resolve("k=a%09\tb \"ä\"")
    Seq(folder, root.resolve(".staging/delta_1"), root.resolve("empty")).foreach(Files.createDirectories(_))
    val file = Files.writeString(folder.resolve("_mark"), "four")
    val modifiedMs = Files.getLastModifiedTime(file).toMillis
    val storage = new Storage(spark)
    val listed = storage.list(s"""["file:$root","file:$root/gone"]""", withHidden = false)
    val path = "k=a%09\\tb \\\"ä\\\""
    val folders = Seq(
      """{"path":"","names":[],"lengthsBytes":[],"modifiedMs":[]}""",
      """{"path":"empty","names":[],"lengthsBytes":[],"modifiedMs":[]}""",
      s"""{"path":"$path","names":["_mark"],"lengthsBytes":[4],"modifiedMs":[$modifiedMs]}"""
    )
    val roots = Seq(
      s"""{"root":"file:$root","exists":true,"folders":[${folders.mkString(",")}]}""",
      s"""{"root":"file:$root/gone","exists":false,"folders":[]}"""
    )
    assertEquals(listed, roots.mkString("[", ",", "]"))
    Files.writeString(root.resolve(".staging/delta_1/._mark.crc"), "of nothing")
    assertEquals(storage.list(s"""["file:$root","file:$root/gone"]""", withHidden = false), listed)
    val all = storage.list(s"""["file:$root"]""", withHidden = true)
    assert(all.contains("""{"path":".staging/delta_1","names":["._mark.crc"]"""), all)
    assertEquals(new String(storage.readBytes(s"file:$root/.staging/delta_1/._mark.crc")), "of nothing")
    assertEquals(storage.hiddenFolders(s"""["file:$root/","file:$root/gone"]"""), s"""["file:$root/.staging"]""")
    assertEquals(storage.checksums(s"""["file:$root/$path/_mark"]"""), """[""]""")
  }
}

final class OtherStorageSuite extends StorageSuite(classOf[RacingRawFileSystem])

/** Refuses the rename that may move a folder into another. */
final class NeverNestingFileSystem extends LocalFileSystem {
  override def rename(from: Path, to: Path): Boolean = throw new AssertionError(s"$to may be moved into")
}

/** A table behind a mount of viewfs is changed as where it lies. */
final class MountedStorageSuite extends AcidOrcSuite {
  private val root = Files.createTempDirectory("storage")

  override protected def settings: Map[String, String] =
    Map(
      "spark.hadoop.fs.file.impl" -> classOf[NeverNestingFileSystem].getName,
      "spark.hadoop.fs.file.impl.disable.cache" -> "true",
      "spark.hadoop.fs.viewfs.mounttable.tables.link./t" -> s"file:$root"
    )

  test("a folder behind a mount gets its name in one step, and only if nothing has it") {
    val (staged, base) = (root.resolve("staging/base_0000005"), root.resolve("base_0000005"))
    Files.createDirectories(staged)
    Files.writeString(staged.resolve("bucket_00000"), "ours")
    new Storage(spark).rename("viewfs://tables/t/staging/base_0000005", "viewfs://tables/t/base_0000005")
    assertEquals(base.toFile.list().toSeq, Seq("bucket_00000"))
    Files.createDirectories(staged)
    intercept[FileAlreadyExistsException](
      new Storage(spark).rename("viewfs://tables/t/staging/base_0000005", "viewfs://tables/t/base_0000005")
    )
    assertEquals(base.toFile.list().toSeq, Seq("bucket_00000"))
  }
}
