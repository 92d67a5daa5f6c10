package hiveacid.commands

import java.util.concurrent.atomic.AtomicReference

/** A run that takes place once at most, and that somebody on another thread asks after. */
final class OneRun {
  private val state = new AtomicReference[OneRun.State](OneRun.NotBegun)

  /** Runs it. Throws IllegalStateException if it has run, or if somebody has heard that it does not. */
  def run(body: () => Unit): Unit = {
    if (!state.compareAndSet(OneRun.NotBegun, OneRun.Running))
      throw new IllegalStateException("it has run already, or nobody waits for it")
    try body()
    finally state.set(OneRun.Ended)
  }

  /** True while it runs. If it has not begun it never does: who is told that it does not run relies on it. */
  def isRunning: Boolean = {
    state.compareAndSet(OneRun.NotBegun, OneRun.Ended)
    state.get == OneRun.Running
  }
}

private object OneRun {
  sealed trait State
  case object NotBegun extends State
  case object Running extends State
  case object Ended extends State
}
