package hiveacid.write

import java.lang.reflect.InvocationTargetException
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import hiveacid.wire.PendingUpload
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{BBUploadHandle, FileSystem, Path, RemoteIterator}

/** Uploads that have begun and neither ended nor been given up. They are seen by nobody and cost storage. */
object PendingUploads {

  /** Lists them below the folder, with paths spelled as it is; none where storage does not list uploads. */
  def list(folder: String, conf: Configuration): Seq[PendingUpload] = {
    val path = new Path(folder)
    val system = path.getFileSystem(conf)
    if (system.getScheme != "s3a") Nil
    else {
      val prefix = s"${path.toUri.getPath.stripPrefix("/").stripSuffix("/")}/"
      val found =
        try listed(system, prefix)
        catch { case e: Exception if isUnsupported(e) => Nil }
      val root = folder.stripSuffix("/")
      found.collect {
        case (key, id) if key.startsWith(prefix) => PendingUpload(s"$root/${key.drop(prefix.length)}", id)
      }
    }
  }

  /** Gives them up: nobody can complete them from then on. */
  def abort(uploads: Seq[PendingUpload], conf: Configuration): Unit = uploads.foreach { upload =>
    val path = new Path(upload.path)
    val uploader = path.getFileSystem(conf).createMultipartUploader(path.getParent).build()
    try uploader.abort(BBUploadHandle.from(ByteBuffer.wrap(upload.id.getBytes(UTF_8))), path).get()
    finally uploader.close()
  }

  /** `S3AFileSystem.listUploads`: its class is not on the class path of every session. */
  private def listed(system: FileSystem, prefix: String): Seq[(String, String)] = {
    val found = call(system, "listUploads", prefix).asInstanceOf[RemoteIterator[AnyRef]]
    val uploads = Seq.newBuilder[(String, String)]
    while (found.hasNext) {
      val upload = found.next()
      uploads += ((text(upload, "key", "getKey"), text(upload, "uploadId", "getUploadId")))
    }
    uploads.result()
  }

  private def call(system: FileSystem, name: String, prefix: String): AnyRef =
    try system.getClass.getMethod(name, classOf[String]).invoke(system, prefix)
    catch { case e: InvocationTargetException => throw e.getCause }

  /** A property of the AWS SDK's class, which is called otherwise in version 1. */
  private def text(upload: AnyRef, names: String*): String = {
    val methods = upload.getClass.getMethods
    val method = names.flatMap(name => methods.find(m => m.getName == name && m.getParameterCount == 0)).head
    String.valueOf(method.invoke(upload))
  }

  private def isUnsupported(e: Exception): Boolean = e.getClass.getSimpleName == "AWSUnsupportedFeatureException"
}
