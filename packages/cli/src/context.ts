/** Everything a command may touch of the world around it. Tests hand in their own. */
export interface Context {
  /** The words after the command's name. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: Writer
  readonly stderr: Writer
  readonly files: FileSystem
  /** Everything standard input holds, read to its end. */
  readStdin(): Promise<Uint8Array>
}

export interface Writer {
  readonly isTTY: boolean
  /** Resolves when the text is handed over; rejects with the system's error, for example `EPIPE`. */
  write(text: string): Promise<void>
}

/** What commands need of a file system. Every function rejects with the system's error. */
export interface FileSystem {
  readFile(path: string): Promise<Uint8Array>
  isDirectory(path: string): Promise<boolean>
  /** The names in a directory, without their path, in any order. */
  listDirectory(path: string): Promise<readonly string[]>
}
