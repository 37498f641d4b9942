import { testPackets } from './testing.js'

testPackets('IPv4', 'legacy')
