"""The Spark side: session set-up, the callbacks of the shim, storage and engine through the JVM."""
