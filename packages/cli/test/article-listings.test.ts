import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { run } from './support/run.js'

// Listings that authors of articles took from their nodes, printed by the version that wrote the rules. Marks in these
// files: `[[10.32.0.2]]` is a field that the author edited, `...` stands for omitted lines, and `| ` precedes lines
// about rules of other programs.

const FIXTURES = new URL('../../../fixtures/', import.meta.url)

function read(file: string): string {
  return readFileSync(new URL(file, FIXTURES), 'utf8')
}

async function listed(folder: string, mode: string, version: string, ...options: string[]): Promise<string> {
  const files = { 'cluster.yaml': read(`${folder}/cluster.yaml`), 'host.yaml': read(`${folder}/host.yaml`) }
  const args = ['print', '-f', 'cluster.yaml', '--host', 'host.yaml', '--mode', mode, '--kubernetes-version', version]
  const { exitCode, stdout } = await run([...args, '--family', '4', '--format', 'listing', ...options], { files })
  expect(exitCode).toBe(0)
  return stdout
}

/** Returns the chains of a listing by their name, without trailing blanks, which pages remove. */
function chainsOf(text: string): ReadonlyMap<string, readonly string[]> {
  const lines = text.split('\n').map((line) => line.trimEnd())
  const chains = lines.join('\n').split(/\n(?=Chain )|\n\n|^(?=# )/m)
  return new Map(
    chains.flatMap((chain) =>
      /^Chain (\S+)/.test(chain) ? [[chain.split(' ')[1] ?? '', chain.trimEnd().split('\n')] as const] : [],
    ),
  )
}

/** Returns the pattern of a chain with marks. */
function patternOf(lines: readonly string[]): RegExp {
  const parts = lines.map((line) => {
    if (line === '...') return '(?:.+\\n)*'
    return `${line.replace(/[\\^$.*+?()|{}]/g, '\\$&').replace(/\[\[[^\]]*\]\]/g, '[\\d.]+')}\\n`
  })
  return new RegExp(`^${parts.join('')}$`)
}

describe('the printed listing', () => {
  it('equals the listing for 1.18.2 in the article about redis, chain by chain', async () => {
    const text = await listed('listing-redis', 'iptables', '1.18.2', '--names')
    const printed = chainsOf(text.slice(text.indexOf('# iptables -t nat -L\n')))
    const article = chainsOf(read('listing-redis/article.iptables.listing').replace(/^\| .*\n/gm, ''))
    expect(article.size).toBe(16)
    for (const [chain, lines] of article) {
      expect(`${printed.get(chain)?.join('\n')}\n`, chain).toMatch(patternOf(lines))
    }
  })

  it('contains the chain names of the original endpoint addresses in the article about redis', async () => {
    const text = await listed('listing-redis', 'iptables', '1.18.2', '--names')
    const endpoints = [...text.matchAll(/^Chain (KUBE-SEP-\S+).*\n.*\n.*\nDNAT .* (\w+) to:(\S+)$/gm)]
    expect(endpoints.map(([, chain, protocol, to]) => `${chain} ${protocol} ${to}`)).toEqual([
      'KUBE-SEP-2LZPYBS4HUAJKDFL tcp 10.40.0.2:53',
      'KUBE-SEP-3E4LNQKKWZF7G6SH tcp 10.40.0.1:53',
      'KUBE-SEP-3IDG7DUGN3QC2UZF tcp 172.17.0.120:6443',
      'KUBE-SEP-JZWS2VPNIEMNMNB2 udp 10.40.0.2:53',
      'KUBE-SEP-OEY6JJQSBCQPRKHS udp 10.40.0.1:53',
      'KUBE-SEP-QX7VDAS5KDY6V3EV tcp 10.40.0.3:6379',
    ])
  })

  it.each([
    ['seed-apiserver', '1.14'],
    ['seed-apiserver', '1.37'],
    ['seed-ngx-nodeport', '1.20'],
  ])(
    'for fixtures/%s equals the recorded listing of %s, except for the order of virtual servers',
    async (folder, version) => {
      const serversOf = (text: string) => (text.match(/^[A-Z]+ {2}\d.*\n(?: .*\n)*/gm) ?? []).sort()
      const text = await listed(folder, 'ipvs', version)
      const article = read(`${folder}/article.ipvs.listing`)
      expect(serversOf(text)).toEqual(serversOf(article))
      if (article.startsWith('IP Virtual Server')) expect(text).toBe(article)
    },
  )

  it('contains the address 127.0.0.1 for a node port only in versions before 1.22', async () => {
    expect(await listed('seed-ngx-nodeport', 'ipvs', '1.21')).toContain('TCP  127.0.0.1:30080 rr\n')
    expect(await listed('seed-ngx-nodeport', 'ipvs', '1.22')).not.toContain('127.0.0.1')
  })

  it('equals the listing for 1.18 in the article about portals, except for order and column widths', async () => {
    const rowsOf = (text: string) =>
      text
        .split('\n')
        .map((line) => line.trim().replace(/ +/g, ' '))
        .filter((line) => line !== '')
        .sort()
    const printed = chainsOf(await listed('listing-portals', 'userspace', '1.18', '--names'))
    const article = chainsOf(read('listing-portals/article.userspace.listing'))
    expect([...article.keys()]).toEqual(['KUBE-PORTALS-CONTAINER', 'KUBE-PORTALS-HOST'])
    for (const [chain, lines] of article)
      expect(rowsOf((printed.get(chain) ?? []).join('\n'))).toEqual(rowsOf(lines.join('\n')))
  })
})
