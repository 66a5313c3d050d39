// Nothing is fetched: its presence lets a build without modules resolve the "/v3" of the import.
module duet/benchmarks/pion

go 1.18
