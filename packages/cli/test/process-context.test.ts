import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createProcessContext } from '../src/process-context.js'

describe('the file operations of createProcessContext', () => {
  const directory = mkdtempSync(join(tmpdir(), 'kube-rules-'))
  writeFileSync(join(directory, 'a.yaml'), 'a: ü\n')
  afterAll(() => rmSync(directory, { recursive: true }))
  const { files } = createProcessContext()

  it('read files and directories', async () => {
    expect(await files.isDirectory(directory)).toBe(true)
    expect(await files.isDirectory(join(directory, 'a.yaml'))).toBe(false)
    expect(await files.listDirectory(directory)).toEqual(['a.yaml'])
    expect(new TextDecoder().decode(await files.readFile(join(directory, 'a.yaml')))).toBe('a: ü\n')
  })

  it('reject with the error of the operating system', async () => {
    await expect(files.isDirectory(join(directory, 'b'))).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(files.readFile(directory)).rejects.toMatchObject({ code: 'EISDIR' })
  })
})
