package text

// AppendDate appends the date that is so many days after 1970-01-01, as ISO 8601 has it: 2026-02-28. Years beyond 0 to 9999 get a
// sign and at least four digits, as in XML Schema 1.1.
func AppendDate(dst []byte, days int64) []byte {
	year, month, day := civil(days)
	if year < 0 {
		dst = append(dst, '-')
		year = -year
	}
	for most := int64(1000); most > 1 && year < most; most /= 10 {
		dst = append(dst, '0')
	}
	dst = AppendUint(dst, uint64(year))
	dst = append(dst, '-')
	dst = appendPair(dst, month)
	dst = append(dst, '-')
	return appendPair(dst, day)
}

// AppendTime appends a date and a time of day in UTC: 2026-02-28T12:34:56.789Z. v counts units of which perSecond make a second,
// from 1970 on; perSecond is a power of ten with so many decimals. Zeros at the end of the fraction are left out.
func AppendTime(dst []byte, v, perSecond int64, decimals int) []byte {
	seconds, fraction := floor(v, perSecond)
	days, second := floor(seconds, 86400)
	dst = AppendDate(dst, days)
	dst = append(dst, 'T')
	dst = appendPair(dst, second/3600)
	dst = append(dst, ':')
	dst = appendPair(dst, second/60%60)
	dst = append(dst, ':')
	dst = appendPair(dst, second%60)
	return append(appendFraction(dst, uint64(fraction), decimals), 'Z')
}

// civil returns the date of a day, in the proleptic Gregorian calendar (Hinnant, "chrono-compatible low-level date
// algorithms"). Its years begin in March, so that the leap day is the last.
func civil(days int64) (year, month, day int64) {
	era, dayOfEra := floor(days+719468, 146097)
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	shifted := (5*dayOfYear + 2) / 153
	day = dayOfYear - (153*shifted+2)/5 + 1
	month = shifted + 3
	if month > 12 {
		month -= 12
	}
	year = yearOfEra + era*400
	if month <= 2 {
		year++
	}
	return year, month, day
}

// floor returns the quotient rounded down, and what remains.
func floor(v, by int64) (quotient, rest int64) {
	quotient, rest = v/by, v%by
	if rest < 0 {
		quotient, rest = quotient-1, rest+by
	}
	return quotient, rest
}

func appendPair(dst []byte, v int64) []byte {
	return append(dst, digitPairs[2*v], digitPairs[2*v+1])
}
