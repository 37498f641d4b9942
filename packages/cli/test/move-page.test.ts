import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { run } from './support/run.js'

const PAGE = readFileSync(new URL('../../../docs/how-to/move-a-cluster-to-nftables.md', import.meta.url), 'utf8')

const [, cluster = ''] = /^```yaml\n(.*?)^```$/ms.exec(PAGE) ?? []
const files = { 'cluster.yaml': cluster }
/** The commands with their outputs. */
const EXAMPLES = Array.from(
  PAGE.matchAll(/^```sh\nkube-rules ([^\n]*)\n```\n\n```\n(.*?)^```$/gms),
  ([, command = '', output = '']) => [command, output] as const,
)

describe('docs/how-to/move-a-cluster-to-nftables.md', () => {
  it('has three examples', () => {
    expect(EXAMPLES.length).toBe(3)
  })

  it.each(EXAMPLES)('contains the output of kube-rules %s', async (command, output) => {
    const { exitCode, stdout } = await run(command.split(' '), { files })
    expect(stdout).toBe(output)
    expect(exitCode).toBe(/^\d+ differences/m.test(output) ? 1 : 0)
  })

  it.each(['ipvs', 'iptables'])('has a row for each kind of difference from %s mode', async (mode) => {
    const args = ['compare', '-f', 'cluster.yaml', '--modes', `${mode},nftables`, '--unexpected', '-o', 'json']
    const { families } = JSON.parse((await run(args, { files })).stdout)
    const codes: readonly string[] = families[0].expected.limitations.map(({ code }: { readonly code: string }) => code)
    const rows = PAGE.split('\n').filter((line) => line.startsWith(`| ${mode} |`))
    expect(codes.length).toBeGreaterThan(3)
    expect(codes.filter((code) => !rows.some((row) => row.includes(`\`${code}\``)))).toEqual([])
  })

  it('checks all nodes of a cluster with one command', async () => {
    expect(PAGE).toContain('\n    kube-rules doctor --cluster --mode nftables\n')
    const { stdout } = await run(['doctor', '-f', 'cluster.yaml', '--mode', 'nftables', '-o', 'json'], { files })
    expect(JSON.parse(stdout).nodes).toEqual(['node-1', 'node-2'])
  })
})
