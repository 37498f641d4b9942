import { testPackets } from './testing.js'

testPackets('IPv6', 'legacy')
