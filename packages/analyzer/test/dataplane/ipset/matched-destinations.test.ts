import { expect, it } from 'vitest'
import { destinationsOfEntries } from '../../../src/dataplane/ipset/matched-destinations.js'
import { parseIpset } from '../../../src/dataplane/ipset/parse.js'

it('yields each address and network that rules may compare destinations with', () => {
  const parsed = parseIpset(`create OWN hash:ip,port family inet
add OWN 10.96.0.1,tcp:80
create NETS hash:net family inet
add NETS 10.0.0.0/8
add NETS example.org
create NET-PORTS hash:net,port family inet
add NET-PORTS 10.96.0.0/16,udp:53
create MACS hash:mac
add MACS 00:11:22:33:44:55
create LIST list:set
add LIST NETS
`)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  expect([...destinationsOfEntries(parsed.value)]).toEqual([
    { address: '10.96.0.1', port: '80' },
    { address: '10.0.0.0/8', port: undefined },
    { address: '10.96.0.0/16', port: '53' },
  ])
})
