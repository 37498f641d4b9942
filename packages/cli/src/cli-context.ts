/** The environment of a command: arguments, streams and files. Tests provide their own environment. */
export interface CliContext {
  /** The words with which the user starts the command. Default: `kube-rules`. */
  readonly programName?: string
  /** The words after the command name. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: Writer
  readonly stderr: Writer
  readonly files: FileSystem
  /** Reads standard input to its end. */
  readStdin(): Promise<Uint8Array>
  /** Runs a program with the user's environment. Rejects with the system error if it cannot start. */
  runTool(tool: string, args: readonly string[], options?: ToolOptions): Promise<ToolOutput>
  /** Prompts for a decision. Returns true for yes, and undefined without a terminal. */
  confirm(question: string): Promise<boolean | undefined>
  wait(milliseconds: number): Promise<void>
  /**
   * Runs `work`, and then `cleanUp`, also if `work` fails. If the user interrupts the command, runs `cleanUp` and ends the
   * process.
   */
  withCleanUp<Result>(work: () => Promise<Result>, cleanUp: () => Promise<void>): Promise<Result>
  /** Starts a phase of work. If the command takes long, a terminal shows the name of the phase. */
  startPhase(phase: string): void
}

export interface ToolOptions {
  /** The standard input. Default: empty. */
  readonly input?: string
  /** Whether the program continues if the user interrupts the command. */
  readonly ignoresInterrupts?: boolean
}

/** The output of a program. */
export interface ToolOutput {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface Writer {
  readonly isTTY: boolean
  /** Writes text. Resolves when the system has accepted the text. Rejects with the system error, for example `EPIPE`. */
  write(text: string): Promise<void>
}

/** The file system operations that commands need. Every function rejects with the system error. */
export interface FileSystem {
  readFile(path: string): Promise<Uint8Array>
  isDirectory(path: string): Promise<boolean>
  /** Lists the names in a directory, without their path, in any order. */
  listDirectory(path: string): Promise<readonly string[]>
  writeFile(path: string, text: string): Promise<void>
}
