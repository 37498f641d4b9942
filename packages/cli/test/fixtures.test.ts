import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { run } from './support/run.js'

const FIXTURES = fileURLToPath(new URL('../../../fixtures/', import.meta.url))

/** The views that every fixture must have; a missing one fails the test. */
const REQUIRED_VIEWS = [
  'iptables.ipv4.restore',
  'iptables.ipv4.save',
  'ipvs.ipv4.restore',
  'ipvs.ipv4.listing',
  'nftables.ipv4.restore',
  'nftables.ipv4.save',
  'userspace.ipv4.restore',
  'userspace.ipv4.save',
]

const INPUTS = ['cluster.yaml', 'cluster-scaled.yaml', 'host.yaml']

/** The name of a view: mode, family and format, after the version if it is not the newest one. */
const VIEW = /^(?:(1\.\d+(?:\.\d+)?)\.)?(iptables|ipvs|nftables|userspace)\.ipv([46])\.(restore|save|listing)$/

/** Returns the options that print a view, by its name: `iptables.ipv4.save`, `1.18.2.iptables.ipv4.listing`. */
function viewOptions(view: string): readonly string[] {
  const [, version, mode, family, format] = VIEW.exec(view) ?? []
  if (mode === undefined || family === undefined || format === undefined) throw new Error(`${view} is not a view`)
  const ofVersion = version === undefined ? [] : ['--kubernetes-version', version]
  return ['--mode', mode, '--family', family, '--format', format, ...ofVersion]
}

// Other folders contain clusters of another kind, with tests of their own.
const allFolders = readdirSync(FIXTURES, { withFileTypes: true })
  .map(({ name }) => name)
  .filter((name) => existsSync(`${FIXTURES}${name}/cluster.yaml`))

/** Folders with the objects of an older version. */
const OLDER = ['listing-redis', 'older-versions']
const folders = allFolders.filter((folder) => !OLDER.includes(folder))

function inputsOf(folder: string): Readonly<Record<string, string>> {
  const found = INPUTS.filter((file) => existsSync(`${FIXTURES}${folder}/${file}`))
  return Object.fromEntries(found.map((file) => [file, readFileSync(`${FIXTURES}${folder}/${file}`, 'utf8')]))
}

describe.each(allFolders)('fixtures/%s', (folder) => {
  const files = inputsOf(folder)
  const host = files['host.yaml'] === undefined ? [] : ['--host', 'host.yaml']
  const goldens = readdirSync(`${FIXTURES}${folder}`).filter((file) => !INPUTS.includes(file))
  const views = goldens.filter((file) => !file.endsWith('.diff') && !file.startsWith('article.'))
  const required = OLDER.includes(folder) ? [] : REQUIRED_VIEWS

  it.each([...new Set([...required, ...views])])('contains the output of print for %s', async (view) => {
    const args = ['print', '-f', 'cluster.yaml', ...host, ...viewOptions(view)]
    const { exitCode, stdout } = await run(args, { files })
    expect(exitCode).toBe(0)
    await expect(stdout).toMatchFileSnapshot(`${FIXTURES}${folder}/${view}`)
  })
})

/** Clusters without any EndpointSlice: a comparison has no statement about their Services. */
const WITHOUT_ENDPOINTS: ReadonlySet<string> = new Set(['listing-portals'])

describe.each(folders)('fixtures/%s, compared in two modes', (folder) => {
  const files = inputsOf(folder)
  const host = files['host.yaml'] === undefined ? [] : ['--host', 'host.yaml']

  it.each(['ipvs', 'nftables', 'userspace'])(
    'has equivalent rules in iptables and %s mode except for known limitations',
    async (mode) => {
      const args = ['compare', '-f', 'cluster.yaml', ...host, '--modes', `iptables,${mode}`, '--unexpected']
      const { exitCode, stdout } = await run(args, { files })
      expect(stdout).toMatch(/^IPv4\nno unexpected difference in \d+ classes of packets\n/)
      expect(exitCode).toBe(WITHOUT_ENDPOINTS.has(folder) ? 2 : 0)
    },
  )
})

describe('fixtures/seed-saythx-redis with more replicas', () => {
  const files = inputsOf('seed-saythx-redis')

  it('contains the output of diff in scale-up.diff', async () => {
    const args = ['diff', 'cluster.yaml', 'cluster-scaled.yaml', '--family', '4', '--mode', 'iptables']
    const { exitCode, stdout } = await run(args, { files })
    expect(exitCode).toBe(1)
    await expect(stdout).toMatchFileSnapshot(`${FIXTURES}seed-saythx-redis/scale-up.diff`)
    expect(readFileSync(`${FIXTURES}../docs/reference/cli/diff.md`, 'utf8')).toContain(`\n\`\`\`sh\n${stdout}\`\`\`\n`)
  })
})
