import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/** Local files whose permissions Java reads and sets: Hadoop, without its native library, starts a process for each. */
public class JavaFileSystem extends LocalFileSystem {
  public JavaFileSystem() {
    super(new Raw());
  }

  private static final class Raw extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      String letters = new FsPermission((short) (permission.toShort() & 0777)).toString();
      Files.setPosixFilePermissions(pathToFile(path).toPath(), PosixFilePermissions.fromString(letters));
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
      FileStatus found = super.getFileStatus(path);
      PosixFileAttributes told = Files.readAttributes(pathToFile(path).toPath(), PosixFileAttributes.class);
      FsPermission permission = FsPermission.valueOf("-" + PosixFilePermissions.toString(told.permissions()));
      return new FileStatus(
          found.getLen(), found.isDirectory(), found.getReplication(), found.getBlockSize(),
          found.getModificationTime(), found.getAccessTime(), permission,
          told.owner().getName(), told.group().getName(), found.getPath());
    }
  }
}
