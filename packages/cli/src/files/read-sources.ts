import { join } from 'node:path'
import type { TextSource } from '@kube-rules/application/cluster'
import { getSystemErrorReason, InputError } from '@kube-rules/application/messages'
import type { CliContext } from '../cli-context.js'

/**
 * Reads the sources of `-f` in order. If a source is a directory, reads the files in it, in code-unit order.
 *
 * @throws InputError if a source cannot be read.
 */
export async function readSources(context: CliContext, paths: readonly string[]): Promise<readonly TextSource[]> {
  const sources: TextSource[] = []
  for (const path of paths) {
    for (const file of await expandPath(context, path)) sources.push(await readSource(context, file))
  }
  return sources
}

/**
 * Reads the files at these paths, in order. The path `-` means standard input.
 *
 * @throws InputError if a file cannot be read.
 */
export async function readFiles(context: CliContext, paths: readonly string[]): Promise<readonly TextSource[]> {
  const sources: TextSource[] = []
  for (const path of paths) sources.push(await readSource(context, path))
  return sources
}

async function expandPath({ files }: CliContext, path: string): Promise<readonly string[]> {
  if (path === '-' || !(await attempt(path, files.isDirectory(path)))) return [path]
  const names = await attempt(path, files.listDirectory(path))
  const paths: string[] = []
  for (const name of names.filter(isManifestName).sort()) {
    const file = join(path, name)
    if (!(await attempt(file, files.isDirectory(file)))) paths.push(file)
  }
  if (paths.length === 0) throw new InputError(`${path}: no .yaml, .yml or .json file in this directory`)
  return paths
}

function isManifestName(name: string): boolean {
  return /\.(?:yaml|yml|json)$/.test(name)
}

async function readSource(context: CliContext, path: string): Promise<TextSource> {
  const name = formatSourceName(path)
  const bytes = await attempt(name, path === '-' ? context.readStdin() : context.files.readFile(path))
  return { name, text: decode(name, bytes) }
}

async function attempt<T>(name: string, promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (error) {
    throw new InputError(`${name}: ${getSystemErrorReason(error)}`)
  }
}

/** Returns the name of a path for messages; the path may be `-`. */
export function formatSourceName(path: string): string {
  return path === '-' ? 'standard input' : path
}

function decode(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new InputError(`${name}: not UTF-8 text${describeEncoding(bytes)}`)
  }
}

/** Describes two encodings that are often passed by mistake: a compressed file, and the output of PowerShell. */
function describeEncoding([first, second]: Uint8Array): string {
  if (first === 0x1f && second === 0x8b) return ', but compressed; unpack it with gunzip'
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  return isUtf16 ? ', but UTF-16; convert it with iconv -f UTF-16 -t UTF-8' : ''
}
