package main

// publicConfig is whether everybody may read the catalogue.
type publicConfig struct {
	on   bool
	rate int // requests a second of all callers without a token
}

// usualPublicRate is enough for a town, and no burden for a small machine.
const usualPublicRate = "50"

func (c *publicConfig) settings() []setting {
	return []setting{
		{flag: "public-catalogue", value: "false", boolean: true, usage: "everybody may read the catalogue, without a token", set: boolean(&c.on)},
		{flag: "public-rate", value: usualPublicRate, usage: "how many requests a second callers without a token have together, from 1 to 10000", set: count(&c.rate, 1, 10_000)},
	}
}

func (c *publicConfig) idle() []string {
	var usual int
	if count(&usual, 1, 10_000)(usualPublicRate); !c.on && c.rate != usual && c.rate != 0 {
		return []string{"--public-rate needs --public-catalogue"}
	}
	return nil
}

// perSecond is the rate if the catalogue is public, and 0 otherwise.
func (c *publicConfig) perSecond() int {
	if !c.on {
		return 0
	}
	return c.rate
}
