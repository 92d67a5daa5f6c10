package hiveacid.formats

import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, LocalFileSystem, Path, RawLocalFileSystem}

class NewFilesSuite extends munit.FunSuite {
  private val folder = FunFixture[Path](
    _ => new Path(Files.createTempDirectory("new-files").toUri),
    path => path.getFileSystem(new Configuration).delete(path, true)
  )

  private def permissions(path: Path) =
    PosixFilePermissions.toString(Files.getPosixFilePermissions(java.nio.file.Path.of(path.toUri.getPath)))

  private def make(system: FileSystem, below: Path): Seq[(String, String)] = {
    val (made, file) = (new Path(below, "a/b"), new Path(below, "a/b/file"))
    system.mkdirs(made)
    val out = system.create(file, false)
    out.write(1)
    out.close()
    val found = Seq(made.getParent, made, file, new Path(made, ".file.crc"))
    found.map(path => path.getName -> permissions(path))
  }

  for (mask <- Seq("022", "077", "007"))
    folder.test(s"files and folders have the permissions that Hadoop gives them, with the mask $mask") { below =>
      val conf = new Configuration
      conf.set("fs.permissions.umask-mode", mask)
      val theirs = FileSystem.newInstance(below.toUri, conf)
      val ours = NewFiles.fileSystem(below, conf)
      assertNotEquals(ours.asInstanceOf[LocalFileSystem].getRaw.getClass.getName, classOf[RawLocalFileSystem].getName)
      assertEquals(make(ours, new Path(below, "ours")), make(theirs, new Path(below, "theirs")))
    }

  folder.test("a local file system of somebody else is left as it is") { below =>
    val conf = new Configuration
    conf.setClass("fs.file.impl", classOf[NewFilesSuite.Foreign], classOf[FileSystem])
    conf.setBoolean("fs.file.impl.disable.cache", true)
    assertEquals(NewFiles.fileSystem(below, conf).getClass.getName, classOf[NewFilesSuite.Foreign].getName)
  }
}

object NewFilesSuite {
  final class Foreign extends LocalFileSystem
}
