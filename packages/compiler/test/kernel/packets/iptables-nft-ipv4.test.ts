import { testIptablesPackets } from './iptables-packets.js'

testIptablesPackets('IPv4', 'nft')
