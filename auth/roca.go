package auth

import "math/big"

// hasROCA reports whether n looks like the product of primes that a flawed
// smart card library made (CVE-2017-15361, "ROCA"). Such a prime is a power of
// 65537 modulo each small prime, and so is the product of two; the private key
// can be computed from the public one. One sound key in two hundred million is
// taken for such a one. No provider is known to have such keys today; the
// check runs once for each fetched key, and Project Wycheproof asks for it.
func hasROCA(n *big.Int) bool {
	var remainder big.Int
	for _, p := range smallPrimes {
		if !powerOf65537(remainder.Mod(n, big.NewInt(p)).Int64(), p) {
			return false
		}
	}
	return true
}

// smallPrimes are the primes that the flawed library built upon for its
// smallest keys, and hence for all.
var smallPrimes = []int64{
	3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
	101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
}

// powerOf65537 reports whether x is one of 65537^0, 65537^1, ... modulo p.
func powerOf65537(x, p int64) bool {
	power := int64(1)
	for range p - 1 {
		if power == x {
			return true
		}
		power = power * 65537 % p
	}
	return false
}
