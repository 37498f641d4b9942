import { describe, expect, it } from 'vitest'
import { clusterJson, service } from '../support/objects.js'
import { run } from '../support/run.js'

const files = { 'cluster.json': clusterJson(service('web', ['10.96.0.1'])) }

describe('prove', () => {
  it('prints one line for each family, and exits with 0', async () => {
    const { exitCode, stdout, stderr } = await run(['prove', '-f', 'cluster.json', '--mode', 'nftables'], { files })
    expect({ exitCode, stderr: stderr.match(/^error/m) }).toEqual({ exitCode: 0, stderr: null })
    expect(stdout.replace(/\d+ classes/g, 'N classes').replace(/\(\d+\)/g, '(N)')).toBe(
      `IPv4: rules of nftables mode, 1.37: proven for every packet, N classes; limitations of nftables mode: otherPortsRejected (N)
IPv6: rules of nftables mode, 1.37: proven for every packet, N classes
`,
    )
  })

  it('prints one JSON document with -o json', async () => {
    const args = ['prove', '-f', 'cluster.json', '--family', '4', '-o', 'json']
    const { exitCode, stdout } = await run(args, { files })
    const { mode, kubernetesVersion, families } = JSON.parse(stdout)
    expect({ exitCode, mode, kubernetesVersion }).toEqual({ exitCode: 0, mode: 'iptables', kubernetesVersion: '1.37' })
    expect(families).toMatchObject([
      { family: 'IPv4', verdict: 'proven', counterexamples: [], inconclusive: [], notProven: [] },
    ])
  })

  it('exits with 2 if the input cannot be read', async () => {
    expect(await run(['prove', '-f', 'missing.json'], { files })).toMatchObject({ exitCode: 2, stdout: '' })
    expect(await run(['prove'], { files })).toMatchObject({ exitCode: 2, stdout: '' })
  })
})
