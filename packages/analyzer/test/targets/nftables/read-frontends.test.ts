import { describe, expect, it } from 'vitest'
import { tablesOf } from '../../../../compiler/test/dataplane/nftables/tables.js'
import { readFrontends } from '../../../src/targets/nftables/read-frontends.js'

function frontendsOf(key: string) {
  const text = `table ip kube-proxy {
\tmap service-ips {
\t\ttype ipv4_addr . inet_proto . inet_service : verdict
\t\telements = { ${key} : drop }
\t}
}
`
  return readFrontends({ tables: tablesOf(text) }).map(
    ({ protocol, address, port }) => `${protocol} ${address} ${port}`,
  )
}

describe('readFrontends', () => {
  it.each([
    ['10.0.0.1 . tcp . 80', ['TCP 10.0.0.1 80']],
    ['10.0.0.1 . icmp . 80', []],
    ['10.0.0.1 . constructor . 80', []],
  ])('returns the frontend of a map element when its protocol is one of a Service: %s', (key, frontends) => {
    expect(frontendsOf(key)).toEqual(frontends)
  })
})
