/** The environment of a command: arguments, streams and files. Tests provide their own environment. */
export interface CliContext {
  /** The words after the command name. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: Writer
  readonly stderr: Writer
  readonly files: FileSystem
  /** Reads standard input to its end. */
  readStdin(): Promise<Uint8Array>
  /** Runs a program with the user's environment and no input. Rejects with the system error if it cannot start. */
  runTool(tool: string, args: readonly string[]): Promise<ToolOutput>
  /** Starts a phase of work. If the command takes long, a terminal shows the name of the phase. */
  startPhase(phase: string): void
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
}
