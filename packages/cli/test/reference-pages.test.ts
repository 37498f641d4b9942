import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { clusterJson, configuration, service, slice } from './support/objects.js'
import { run } from './support/run.js'

// Statements of the reference that no command in a code block covers.

const pageOf = (name: string) => readFileSync(new URL(`../../../docs/reference/${name}`, import.meta.url), 'utf8')

describe('docs/reference/cli.md', () => {
  const objects = (clusterCIDR: string) =>
    clusterJson(
      configuration({ mode: 'iptables', clusterCIDR }),
      service('web', ['10.96.0.10']),
      slice('web', '10.1.0.1'),
    )
  const files = { 'cluster.json': objects(''), 'other.json': objects('10.244.0.0/16') }
  const [, listed = ''] = /([^.]*) also print `noLocalTrafficDetection`/.exec(pageOf('cli.md')) ?? []
  const commands: readonly string[] = [
    'print -f cluster.json',
    'diff cluster.json other.json',
    'verify -f cluster.json --dump node.dump',
    'explain -f cluster.json default/web',
    'compare -f cluster.json --modes iptables,nftables',
    'doctor -f cluster.json',
    'prove -f cluster.json',
  ]

  it.each(commands)('lists the commands that print noLocalTrafficDetection: %s', async (command) => {
    const { stdout: dump } = await run(['print', '-f', 'cluster.json', '--format', 'save'], { files })
    const { stderr } = await run(command.split(' '), { files: { ...files, 'node.dump': dump } })
    const [name = ''] = command.split(' ')
    expect(stderr.includes('[noLocalTrafficDetection]')).toBe(listed.includes(`\`${name}\``))
  })
})

describe('docs/reference/cli/print.md', () => {
  it('names every JSON Schema', () => {
    const [, listed = ''] = /JSON Schema for every document: (.*?)\n\n/s.exec(pageOf('cli/print.md')) ?? []
    const names = readdirSync(new URL('../schemas', import.meta.url)).map((file) => file.replace('.schema.json', ''))
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(listed))).toEqual([])
  })
})
