import { describe, expect, it } from 'vitest'
import {
  replaceStatistics,
  toRealServerCommand,
  toVirtualServerCommand,
} from '../../../src/dataplane/ipvs/pasted/listing.js'

describe('the row of a virtual server', () => {
  it.each([
    ['TCP  10.96.0.1:443 rr', '-A -t 10.96.0.1:443 -s rr'],
    ['UDP  10.96.0.10:53 wlc', '-A -u 10.96.0.10:53 -s wlc'],
    ['SCTP 10.96.0.10:3868 rr   ', '-A --sctp-service 10.96.0.10:3868 -s rr'],
    ['TCP  [fd00::1]:https rr', '-A -t [fd00::1]:443 -s rr'],
    ['TCP  10.96.0.1:443 rr persistent 10800', '-A -t 10.96.0.1:443 -s rr -p 10800'],
    ['TCP  10.96.0.1:443 rr persistent 60 mask 255.255.255.0', '-A -t 10.96.0.1:443 -s rr -p 60 -M 255.255.255.0'],
    ['UDP  10.96.0.1:53 rr ops', '-A -u 10.96.0.1:53 -s rr -o'],
    ['UDP  10.96.0.1:5060 rr persistent 60 pe sip', '-A -u 10.96.0.1:5060 -s rr -p 60 --pe sip'],
    ['TCP  10.96.0.1:443 mh (mh-fallback,mh-port)', '-A -t 10.96.0.1:443 -s mh -b mh-fallback,mh-port'],
    ['TCP  10.96.0.1:443', undefined],
    ['XTCP  10.96.0.1:443 rr', undefined],
    ['TCP  10.96.0.1 rr', undefined],
    ['TCP  10.96.0.1:443 rr2', undefined],
    ['TCP  10.96.0.1:443 rr and more', undefined],
    ['FWM  1 rr', undefined],
  ])('is converted to a command only if it is valid: %s', (row, command) => {
    expect(toVirtualServerCommand(row)).toBe(command)
  })
})

describe('the row of a real server', () => {
  it.each([
    ['-> 10.244.1.1:8080   Masq    1      0          0', '-a -t 10.96.0.1:443 -r 10.244.1.1:8080 -m -w 1'],
    ['-> 10.244.1.1:8080   Route   2      0          0', '-a -t 10.96.0.1:443 -r 10.244.1.1:8080 -g -w 2'],
    ['-> 10.244.1.1:8080   Tunnel  0', '-a -t 10.96.0.1:443 -r 10.244.1.1:8080 -i -w 0'],
    ['-> [fd00::2]:http    Masq    10', '-a -t 10.96.0.1:443 -r [fd00::2]:80 -m -w 10'],
    ['-> 10.244.1.1:8080   Local   1', undefined],
    ['-> 10.244.1.1   Masq   1', undefined],
    ['-> 10.244.1.1:8080   Masq   1x', undefined],
    ['--> 10.244.1.1:8080   Masq   1', undefined],
  ])('is converted to a command only if it is valid: %s', (row, command) => {
    expect(toRealServerCommand(row, '-A -t 10.96.0.1:443 -s rr')).toBe(command)
  })
})

describe('a row of statistics', () => {
  it.each([
    ['TCP  10.96.0.1:443   12  34K  5.5M  0  1G', 'TCP 10.96.0.1:443 rr'],
    ['UDP  [fd00::1]:53   1  2  3  4  5  ', 'UDP [fd00::1]:53 rr'],
    ['-> 10.244.1.1:8080   1  2  3T  4  5', '-> 10.244.1.1:8080 Masq 1'],
    ['-> 10.244.1.1:8080   1  0  3  4', '-> 10.244.1.1:8080 Masq 1'],
    ['-> 10.244.1.1:8080   0  0  3  4', '-> 10.244.1.1:8080   0  0  3  4'],
    ...['TCP  10.96.0.1:443 rr', '-> 10.244.1.1:8080 Masq 1 0 0', 'TCP  10.96.0.1:443 1 2 3 4'].map((row) => [
      row,
      row,
    ]),
    ...['xTCP 10.96.0.1:443 1 2 3 4 5', 'x-> 10.1.1.1:80 1 2 3 4 5', '-> 10.1.1.1:80 1 2 3 4 5 x'].map((row) => [
      row,
      row,
    ]),
  ])('is returned without its counters, or as undefined if the row has no counters: %s', (row, without) => {
    expect(replaceStatistics(row ?? '')).toBe(without)
  })
})
