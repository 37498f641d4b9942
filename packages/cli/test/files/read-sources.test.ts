import { describe, expect, it } from 'vitest'
import type { CliContext, FileSystem } from '../../src/cli-context.js'
import { readSources } from '../../src/files/read-sources.js'
import { memoryFiles, runMissingTool, systemError, unattended } from '../support/run.js'

const bytes = (text: string) => new TextEncoder().encode(text)

function contextOf(files: FileSystem, stdin = ''): CliContext {
  const writer = { isTTY: false, write: async () => {} }
  return {
    ...unattended,
    args: [],
    env: {},
    stdout: writer,
    stderr: writer,
    files,
    readStdin: async () => bytes(stdin),
    runTool: runMissingTool,
    startPhase: () => {},
  }
}

describe('readSources', () => {
  it('returns the files in the order of the paths', async () => {
    const context = contextOf(memoryFiles({ 'b.yaml': 'B', 'a.json': 'A' }), 'S')
    expect((await readSources(context, ['b.yaml', '-', 'a.json'])).sources).toEqual([
      { name: 'b.yaml', text: 'B' },
      { name: 'standard input', text: 'S' },
      { name: 'a.json', text: 'A' },
    ])
  })

  it('reads the manifests of a directory in code-unit order, without subdirectories', async () => {
    const files = {
      'd/b.yml': '1',
      'd/a.yaml': '2',
      'd/Z.json': '3',
      'd/notes.txt': '4',
      'd/sub.yaml/c.yaml': '5',
      'd/yaml': '6',
    }
    const { sources, unread } = await readSources(contextOf(memoryFiles(files)), ['d'])
    expect(unread).toEqual(['d/sub.yaml'])
    expect(sources.map(({ name }) => name)).toEqual(['d/Z.json', 'd/a.yaml', 'd/b.yml'])
  })

  it('reads subdirectories, except hidden ones, if it is recursive', async () => {
    const files = {
      'd/b.yaml': '1',
      'd/base/a.yaml': '2',
      'd/base/deep/c.json': '3',
      'd/.git/x.yaml': '4',
      'd/docs/notes.txt': '5',
    }
    const { sources, unread } = await readSources(contextOf(memoryFiles(files)), ['d'], true)
    expect(sources.map(({ name }) => name)).toEqual(['d/b.yaml', 'd/base/a.yaml', 'd/base/deep/c.json'])
    expect(unread).toEqual([])
  })

  it('names the subdirectories with manifests that it does not read', async () => {
    const files = { 'd/b.yaml': '1', 'd/base/deep/c.json': '3', 'd/.git/x.yaml': '4', 'd/docs/notes.txt': '5' }
    expect((await readSources(contextOf(memoryFiles(files)), ['d'])).unread).toEqual(['d/base'])
    await expect(readSources(contextOf(memoryFiles({ 'd/base/c.json': '3' })), ['d'])).rejects.toThrow(
      'd: no .yaml, .yml or .json file in this directory; -R also reads its subdirectories: d/base',
    )
  })

  it.each([
    [
      'kustomization.yaml',
      'd has a Kustomization, which may change its objects; to read the result, run kubectl kustomize d and pass its output with -f -',
    ],
    ['Chart.yaml', 'd is a Helm chart; to read its objects, run helm template d and pass its output with -f -'],
  ])('explains how to render a directory with %s', async (name, note) => {
    const { notes } = await readSources(contextOf(memoryFiles({ [`d/${name}`]: '', 'd/web.yaml': '' })), ['d'])
    expect(notes).toEqual([note])
  })

  const KUSTOMIZED =
    'd has a Kustomization, which may change its objects; to read the result, run kubectl kustomize d and pass its output with -f -'
  const CHARTED = 'd is a Helm chart; to read its objects, run helm template d and pass its output with -f -'

  it('does not read the files of Kustomize and Helm themselves', async () => {
    const files = {
      'd/Chart.yaml': '1',
      'd/values.yaml': '2',
      'd/values-prod.yaml': '3',
      'd/values.schema.json': '4',
      'd/web.yaml': '5',
      'e/kustomization.yml': '6',
      'e/values.yaml': '7',
    }
    const { sources } = await readSources(contextOf(memoryFiles(files)), ['d', 'e'])
    expect(sources.map(({ name }) => name)).toEqual(['d/web.yaml', 'e/values.yaml'])
  })

  it.each([
    [
      'a chart without manifests in it',
      'd',
      { 'd/Chart.yaml': '1', 'd/values.yaml': '2', 'd/templates/a.yaml': '3' },
      CHARTED,
    ],
    ['a Kustomization without manifests next to it', 'd', { 'd/kustomization.yaml': '1' }, KUSTOMIZED],
    ['the file of a chart', 'd/Chart.yaml', { 'd/Chart.yaml': '1' }, `d/Chart.yaml: ${CHARTED}`],
    ['a Kustomization', 'd/kustomization.yml', { 'd/kustomization.yml': '1' }, `d/kustomization.yml: ${KUSTOMIZED}`],
  ])('explains in its error how to render %s', async (_, path, files, problem) => {
    await expect(readSources(contextOf(memoryFiles(files)), [path])).rejects.toThrow(problem)
  })

  it('stops at directories that are too deep, as with a symbolic link to a parent directory', async () => {
    const files = { ...memoryFiles({}), isDirectory: async () => true, listDirectory: async () => ['d'] }
    await expect(readSources(contextOf(files), ['d'], true)).rejects.toThrow(/: more than 32 directories deep$/)
  })

  it('rejects a directory without manifests', async () => {
    const context = contextOf(memoryFiles({ 'd/notes.txt': '' }))
    await expect(readSources(context, ['d'])).rejects.toThrow('d: no .yaml, .yml or .json file in this directory')
  })

  it('reports a missing file', async () => {
    await expect(readSources(contextOf(memoryFiles({})), ['x'])).rejects.toThrow('x: no such file or directory')
  })

  it('reports an unreadable file', async () => {
    const readFile = async () => {
      throw systemError('EACCES', 'permission denied', 'x')
    }
    const context = contextOf({ ...memoryFiles({ x: '' }), readFile })
    await expect(readSources(context, ['x'])).rejects.toThrow('x: permission denied')
  })

  it('removes a byte order mark', async () => {
    const context = contextOf(memoryFiles({ x: Uint8Array.of(0xef, 0xbb, 0xbf, 0x61) }))
    expect((await readSources(context, ['x'])).sources).toEqual([{ name: 'x', text: 'a' }])
  })

  it.each([
    ['', [0x61, 0xff]],
    [', but UTF-16; convert it with iconv -f UTF-16 -t UTF-8', [0xff, 0xfe, 0x61, 0]],
    [', but UTF-16; convert it with iconv -f UTF-16 -t UTF-8', [0xfe, 0xff, 0, 0x61]],
    [', but compressed; unpack it with gunzip', [0x1f, 0x8b, 8, 0]],
  ])('rejects text that is not UTF-8%s', async (encoding, bytes) => {
    const context = contextOf(memoryFiles({ x: Uint8Array.from(bytes) }))
    const message = `x: not UTF-8 text${encoding}`
    await expect(readSources(context, ['x'])).rejects.toThrow(expect.objectContaining({ message }))
  })
})
