import { basename, dirname, join } from 'node:path'
import type { TextSource } from '@kube-rules/application/cluster'
import { getSystemErrorReason, InputError } from '@kube-rules/application/messages'
import type { CliContext } from '../cli-context.js'

/** The sources of `-f`, and what was not read. */
export interface ReadSources {
  readonly sources: readonly TextSource[]
  /** The subdirectories with manifests that were not read. */
  readonly unread: readonly string[]
  /** Notes about directories that have to be rendered first, without a `note: ` prefix. */
  readonly notes: readonly string[]
}

/**
 * Reads the sources of `-f` in order. If a source is a directory, reads the files in it, in code-unit order; with
 * `isRecursive`, also those of its subdirectories, except hidden ones.
 *
 * @throws InputError if a source cannot be read.
 */
export async function readSources(
  context: CliContext,
  paths: readonly string[],
  isRecursive = false,
): Promise<ReadSources> {
  const sources: TextSource[] = []
  const unread: string[] = []
  const notes: string[] = []
  for (const path of paths) {
    const isFile = path === '-' || !(await attempt(path, context.files.isDirectory(path)))
    const listed = isFile ? listFile(path) : await listDirectory(context, path, isRecursive)
    for (const file of listed.files) sources.push(await readSource(context, file))
    unread.push(...listed.unread)
    notes.push(...listed.notes)
  }
  return { sources, unread, notes }
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

/** The manifests of a directory. */
interface ListedDirectory extends Pick<ReadSources, 'unread' | 'notes'> {
  readonly files: readonly string[]
}

/** Lists one file. The file of a renderer has no objects, but shows which directory to render. */
function listFile(path: string): ListedDirectory {
  const [note] = renderingNotes([dirname(path)], [path])
  if (note !== undefined) throw new InputError(`${path}: ${note}`)
  return { files: [path], unread: [], notes: [] }
}

async function listDirectory(context: CliContext, path: string, isRecursive: boolean): Promise<ListedDirectory> {
  const { files, directories } = await listNames(context, path)
  const below: string[] = []
  const unread: string[] = []
  for (const directory of directories) {
    const found = await findManifests(context, directory, 1)
    if (isRecursive) below.push(...found)
    else if (found.length > 0) unread.push(directory)
  }
  const all = [...files, ...below]
  const notes = renderingNotes([path, ...directories], all)
  const manifests = all.filter((file) => !isForRenderer(file, all))
  if (manifests.length > 0) return { files: manifests, unread, notes }
  if (notes.length > 0) throw new InputError(notes.join('\n'))
  const more = unread.length === 0 ? '' : `; -R also reads its subdirectories: ${unread.join(', ')}`
  throw new InputError(`${path}: no .yaml, .yml or .json file in this directory${more}`)
}

/** The maximum depth of directories. A symbolic link can make them endless. */
const MAXIMUM_DEPTH = 32

async function findManifests(context: CliContext, path: string, depth: number): Promise<readonly string[]> {
  if (depth > MAXIMUM_DEPTH) throw new InputError(`${path}: more than ${MAXIMUM_DEPTH} directories deep`)
  const { files, directories } = await listNames(context, path)
  const all = [...files]
  for (const directory of directories) all.push(...(await findManifests(context, directory, depth + 1)))
  return all
}

/** Lists the manifests and the subdirectories of a directory, except hidden subdirectories, in code-unit order. */
async function listNames(
  context: CliContext,
  path: string,
): Promise<{ readonly files: readonly string[]; readonly directories: readonly string[] }> {
  const names = [...(await attempt(path, context.files.listDirectory(path)))].sort()
  const found: string[] = []
  const directories: string[] = []
  for (const name of names) {
    const file = join(path, name)
    if (name.startsWith('.') && !isManifestName(name)) continue
    if (await isDirectory(context, file, name)) directories.push(file)
    else if (isManifestName(name)) found.push(file)
  }
  return { files: found, directories }
}

/** Reports whether a name of a directory is a directory itself. What is neither this nor a manifest may be unreadable. */
function isDirectory({ files }: CliContext, path: string, name: string): Promise<boolean> {
  const answer = files.isDirectory(path)
  return isManifestName(name) ? attempt(path, answer) : answer.catch(() => false)
}

/** Returns a note for each directory that Kustomize or Helm has to render first. */
function renderingNotes(directories: readonly string[], files: readonly string[]): readonly string[] {
  return directories.flatMap((path) => {
    const names = files.flatMap((file) => (dirname(file) === dirname(join(path, 'file')) ? basename(file) : []))
    if (names.some((name) => KUSTOMIZATION.test(name))) {
      return [
        `${path} has a Kustomization, which may change its objects; to read the result, run kubectl kustomize ${path} and pass its output with -f -`,
      ]
    }
    if (!names.includes('Chart.yaml')) return []
    return [`${path} is a Helm chart; to read its objects, run helm template ${path} and pass its output with -f -`]
  })
}

const KUSTOMIZATION = /^kustomization\.ya?ml$/

/** Reports whether a file is the input of Kustomize or Helm, and has no objects: also the values next to a chart. */
function isForRenderer(file: string, files: readonly string[]): boolean {
  const name = basename(file)
  if (KUSTOMIZATION.test(name) || name === 'Chart.yaml') return true
  return /^values\b.*\.(?:ya?ml|json)$/.test(name) && files.includes(join(dirname(file), 'Chart.yaml'))
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
