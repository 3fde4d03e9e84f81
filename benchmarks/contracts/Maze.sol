// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// A maze of 7 by 7 fields, in the manner of the Daedaluzz benchmark: four moves, walls that revert, and fields whose
/// nested conditions over the arguments lead to marks.
contract Maze {
    uint64 private constant SIDE = 7;

    uint64 public x;
    uint64 public y;
    uint64 public moves;
    mapping(uint64 mark => uint64 visits) public marks;

    event Marked(uint64 indexed mark);

    error Wall(uint64 x, uint64 y);

    modifier counted() {
        _;
        moves++;
    }

    function moveNorth(uint64 a, uint64 b, uint64 c, uint64 d) external counted returns (int64) {
        require(y > 0);
        return enter(x, y - 1, a, b, c, d);
    }

    function moveSouth(uint64 a, uint64 b, uint64 c, uint64 d) external counted returns (int64) {
        require(y + 1 < SIDE);
        return enter(x, y + 1, a, b, c, d);
    }

    function moveEast(uint64 a, uint64 b, uint64 c, uint64 d) external counted returns (int64) {
        require(x + 1 < SIDE);
        return enter(x + 1, y, a, b, c, d);
    }

    function moveWest(uint64 a, uint64 b, uint64 c, uint64 d) external counted returns (int64) {
        require(x > 0);
        return enter(x - 1, y, a, b, c, d);
    }

    function echidna_stays_inside() public view returns (bool) {
        return x < SIDE && y < SIDE;
    }

    function mark(uint64 number) internal {
        marks[number]++;
        emit Marked(number);
    }

    function enter(uint64 toX, uint64 toY, uint64 a, uint64 b, uint64 c, uint64 d) internal returns (int64) {
        if (toX == 0) {
            if (toY == 0) {
                x = 0;
                y = 0;
                if (d < a) {
                    if (b ^ d > 4294967296) {
                        mark(1);
                        return 1;
                    }
                }
            } else if (toY == 1) {
                x = 0;
                y = 1;
            } else if (toY == 2) {
                x = 0;
                y = 2;
                if (c ^ d > 4294967296) {
                    if (d & 1 != 0) {
                        if (d ^ c > 1) {
                            mark(2);
                            return 2;
                        }
                    }
                }
            } else if (toY == 3) {
                revert Wall(0, 3);
            } else if (toY == 4) {
                x = 0;
                y = 4;
            } else if (toY == 5) {
                x = 0;
                y = 5;
            } else {
                revert Wall(0, 6);
            }
        } else if (toX == 1) {
            if (toY == 0) {
                x = 1;
                y = 0;
                if (c > 1099511627776) {
                    if (b ^ c > 1) {
                        if (a % 5 == d % 2) {
                            mark(3);
                            return 3;
                        }
                    } else {
                        if (a % 5 == d % 3) {
                            mark(4);
                            return 4;
                        }
                    }
                }
            } else if (toY == 1) {
                revert Wall(1, 1);
            } else if (toY == 2) {
                x = 1;
                y = 2;
            } else if (toY == 3) {
                revert Wall(1, 3);
            } else if (toY == 4) {
                revert Wall(1, 4);
            } else if (toY == 5) {
                x = 1;
                y = 5;
            } else {
                x = 1;
                y = 6;
                if (d ^ a > 50) {
                    if (b < a) {
                        if (b == 255) {
                            mark(5);
                            return 5;
                        }
                    } else {
                        if (a ^ d > 4294967296) {
                            mark(6);
                            return 6;
                        }
                    }
                }
            }
        } else if (toX == 2) {
            if (toY == 0) {
                revert Wall(2, 0);
            } else if (toY == 1) {
                x = 2;
                y = 1;
                if (a > 1099511627776) {
                    if (d % 3 == b % 3) {
                        mark(7);
                        return 7;
                    }
                } else {
                    if (b < d) {
                        mark(8);
                        return 8;
                    }
                }
            } else if (toY == 2) {
                x = 2;
                y = 2;
                if (a < c) {
                    if (a == 0) {
                        mark(9);
                        return 9;
                    }
                } else {
                    if (b % 5 == c % 3) {
                        mark(10);
                        return 10;
                    }
                }
            } else if (toY == 3) {
                x = 2;
                y = 3;
                if (d % 5 == b % 3) {
                    if (b < a) {
                        mark(11);
                        return 11;
                    }
                }
            } else if (toY == 4) {
                x = 2;
                y = 4;
                if (a == 1000) {
                    if (b ^ c > 1) {
                        if (c & 1 != 0) {
                            if (c > 4096) {
                                mark(12);
                                return 12;
                            }
                        } else {
                            if (c == 7) {
                                mark(13);
                                return 13;
                            }
                        }
                    }
                }
            } else if (toY == 5) {
                x = 2;
                y = 5;
                if (b % 11 == a % 3) {
                    if (a ^ d > 1000) {
                        mark(14);
                        return 14;
                    }
                } else {
                    if (c & 64 != 0) {
                        mark(15);
                        return 15;
                    }
                }
            } else {
                x = 2;
                y = 6;
                if (b < d) {
                    if (c == 255) {
                        mark(16);
                        return 16;
                    }
                }
            }
        } else if (toX == 3) {
            if (toY == 0) {
                revert Wall(3, 0);
            } else if (toY == 1) {
                x = 3;
                y = 1;
            } else if (toY == 2) {
                x = 3;
                y = 2;
                if (a ^ c > 1) {
                    if (b % 3 == d % 3) {
                        if (c > 1099511627776) {
                            if (d % 3 == c % 2) {
                                mark(17);
                                return 17;
                            }
                        } else {
                            if (d == 3) {
                                mark(18);
                                return 18;
                            }
                        }
                    }
                }
            } else if (toY == 3) {
                revert Wall(3, 3);
            } else if (toY == 4) {
                revert Wall(3, 4);
            } else if (toY == 5) {
                x = 3;
                y = 5;
            } else {
                x = 3;
                y = 6;
                if (a == 1) {
                    if (b & 4 != 0) {
                        if (a == 7) {
                            if (b ^ c > 1000) {
                                mark(19);
                                return 19;
                            }
                        }
                    } else {
                        if (c > 1099511627776) {
                            if (b & 4 != 0) {
                                mark(20);
                                return 20;
                            }
                        } else {
                            if (b % 3 == c % 2) {
                                mark(21);
                                return 21;
                            }
                        }
                    }
                }
            }
        } else if (toX == 4) {
            if (toY == 0) {
                revert Wall(4, 0);
            } else if (toY == 1) {
                x = 4;
                y = 1;
                if (c < d) {
                    if (d & 1 != 0) {
                        if (b == 0) {
                            if (d < c) {
                                mark(22);
                                return 22;
                            }
                        }
                    } else {
                        if (b ^ c > 1000) {
                            if (d % 3 == c % 3) {
                                mark(23);
                                return 23;
                            }
                        }
                    }
                } else {
                    if (b % 3 == d % 3) {
                        if (c % 11 == a % 2) {
                            if (a % 11 == d % 3) {
                                mark(24);
                                return 24;
                            }
                        }
                    } else {
                        if (c > 4096) {
                            if (d == 1) {
                                mark(25);
                                return 25;
                            }
                        }
                    }
                }
            } else if (toY == 2) {
                x = 4;
                y = 2;
            } else if (toY == 3) {
                x = 4;
                y = 3;
            } else if (toY == 4) {
                x = 4;
                y = 4;
                if (d & 256 != 0) {
                    if (c == 1) {
                        if (c > 4096) {
                            mark(26);
                            return 26;
                        }
                    }
                } else {
                    if (c ^ d > 1) {
                        if (b < a) {
                            mark(27);
                            return 27;
                        }
                    } else {
                        if (c == 100) {
                            mark(28);
                            return 28;
                        }
                    }
                }
            } else if (toY == 5) {
                revert Wall(4, 5);
            } else {
                revert Wall(4, 6);
            }
        } else if (toX == 5) {
            if (toY == 0) {
                revert Wall(5, 0);
            } else if (toY == 1) {
                x = 5;
                y = 1;
                if (b % 11 == c % 3) {
                    if (c > 4096) {
                        if (b < d) {
                            mark(29);
                            return 29;
                        }
                    } else {
                        if (a < b) {
                            mark(30);
                            return 30;
                        }
                    }
                }
            } else if (toY == 2) {
                x = 5;
                y = 2;
                if (a % 11 == b % 3) {
                    if (b ^ a > 50) {
                        mark(31);
                        return 31;
                    }
                }
            } else if (toY == 3) {
                x = 5;
                y = 3;
                if (c == 16) {
                    if (b & 256 != 0) {
                        mark(32);
                        return 32;
                    }
                } else {
                    if (a ^ b > 1) {
                        mark(33);
                        return 33;
                    }
                }
            } else if (toY == 4) {
                x = 5;
                y = 4;
                if (d == 255) {
                    if (d < c) {
                        if (d % 5 == c % 2) {
                            if (c == 3) {
                                mark(34);
                                return 34;
                            }
                        } else {
                            if (b < a) {
                                mark(35);
                                return 35;
                            }
                        }
                    }
                } else {
                    if (a == 100) {
                        if (c & 4 != 0) {
                            if (c > 1099511627776) {
                                mark(36);
                                return 36;
                            }
                        } else {
                            if (c < b) {
                                mark(37);
                                return 37;
                            }
                        }
                    }
                }
            } else if (toY == 5) {
                x = 5;
                y = 5;
                if (c < a) {
                    if (b ^ a > 1000) {
                        mark(38);
                        return 38;
                    }
                }
            } else {
                x = 5;
                y = 6;
                if (a == 16) {
                    if (b < d) {
                        mark(39);
                        return 39;
                    }
                } else {
                    if (c ^ d > 50) {
                        mark(40);
                        return 40;
                    }
                }
            }
        } else {
            if (toY == 0) {
                x = 6;
                y = 0;
            } else if (toY == 1) {
                x = 6;
                y = 1;
            } else if (toY == 2) {
                x = 6;
                y = 2;
                if (d & 256 != 0) {
                    if (c == 3) {
                        if (d < c) {
                            if (b > 10) {
                                mark(41);
                                return 41;
                            }
                        }
                    }
                }
            } else if (toY == 3) {
                x = 6;
                y = 3;
                if (a < d) {
                    if (c == 100) {
                        mark(42);
                        return 42;
                    }
                }
            } else if (toY == 4) {
                x = 6;
                y = 4;
                if (b & 64 != 0) {
                    if (d < a) {
                        if (a > 10) {
                            if (d > 10) {
                                mark(43);
                                return 43;
                            }
                        } else {
                            if (b == 255) {
                                mark(44);
                                return 44;
                            }
                        }
                    } else {
                        if (c % 11 == a % 2) {
                            if (b < d) {
                                mark(45);
                                return 45;
                            }
                        }
                    }
                } else {
                    if (b & 256 != 0) {
                        if (d < b) {
                            if (a > 128) {
                                mark(46);
                                return 46;
                            }
                        } else {
                            if (c & 256 != 0) {
                                mark(47);
                                return 47;
                            }
                        }
                    } else {
                        if (b & 1 != 0) {
                            if (a % 5 == b % 2) {
                                mark(48);
                                return 48;
                            }
                        }
                    }
                }
            } else if (toY == 5) {
                x = 6;
                y = 5;
                if (b % 3 == a % 2) {
                    if (c == 3) {
                        if (c & 64 != 0) {
                            mark(49);
                            return 49;
                        }
                    }
                }
            } else {
                x = 6;
                y = 6;
                if (d % 5 == b % 2) {
                    if (c % 5 == b % 2) {
                        mark(50);
                        return 50;
                    }
                } else {
                    if (d ^ a > 50) {
                        mark(51);
                        return 51;
                    }
                }
            }
        }
        return 0;
    }
}
