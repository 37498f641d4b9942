import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { run } from './support/run.js'

const FIXTURES = fileURLToPath(new URL('../../../fixtures/', import.meta.url))

/** What every fixture shows: file name and the options that print it. */
const VIEWS: readonly (readonly [string, readonly string[]])[] = [
  ['iptables.ipv4.restore', ['--mode', 'iptables', '--family', '4']],
  ['iptables.ipv4.save', ['--mode', 'iptables', '--family', '4', '--style', 'save']],
]

const folders = readdirSync(FIXTURES, { withFileTypes: true }).filter((entry) => entry.isDirectory())

describe.each(folders.map(({ name }) => name))('fixtures/%s', (folder) => {
  const files = Object.fromEntries(
    ['cluster.yaml', 'host.yaml']
      .filter((file) => existsSync(`${FIXTURES}${folder}/${file}`))
      .map((file) => [file, readFileSync(`${FIXTURES}${folder}/${file}`, 'utf8')]),
  )
  const host = files['host.yaml'] === undefined ? [] : ['--host', 'host.yaml']

  it.each(VIEWS)('%s', async (file, options) => {
    const { exitCode, stdout } = await run(['render', '-f', 'cluster.yaml', ...host, ...options], { files })
    expect(exitCode).toBe(0)
    await expect(stdout).toMatchFileSnapshot(`${FIXTURES}${folder}/${file}`)
  })
})
